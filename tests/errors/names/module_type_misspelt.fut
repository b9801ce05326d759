-- SPDX-License-Identifier: Apache-2.0
module type shape = { val area : f32 }
module square : shap = { def area : f32 = 1 }
