-- RUN check tests/errors/names/mising_program.fut
-- The file itself is fine; it is asked for under another name.
def main = 1i32
