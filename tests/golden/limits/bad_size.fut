-- SPDX-License-Identifier: Apache-2.0
-- RUN run --max-memory=0
-- Nothing at all is no limit.
def main : i64 = 1
