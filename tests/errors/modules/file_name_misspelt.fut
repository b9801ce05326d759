-- SPDX-License-Identifier: Apache-2.0
import "member_mising"
