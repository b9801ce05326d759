-- SPDX-License-Identifier: Apache-2.0
-- This file imports itself.
import "cyclic_import"
