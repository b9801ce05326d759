-- SPDX-License-Identifier: Apache-2.0
def x =-1
