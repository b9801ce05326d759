-- SPDX-License-Identifier: Apache-2.0
entry same x = x
