// Two kernels that run side by side as one launch: `tilec/beside.h`.
#ifndef TILEC_HIP_BESIDE_OPS
#define TILEC_HIP_BESIDE_OPS

include "dialect/HipTextOps.td"

def Hip_EnterBesideOp : Hip_WriteOp<"enter_beside", "tilec::enter_beside($0, %before, $1)", [Hip_Enters]> {
  let description = [{
    In place of `hip.enter` in two kernels that are one launch of `all` workgroups: `before` of them come before those of this kernel.

        %launch = hip.enter_beside %context, %workgroups {before = 8 : i64} : (!hip.context, index) -> !hip.launch
  }];
  let arguments = (ins Hip_Context:$context, Index:$all, I64Attr:$before);
  let results = (outs Hip_Launch:$result);
}
def Hip_AllWorkgroupsOp : Hip_TextOp<"all_workgroups", "$0.all()", [Pure, HasParent<"LauncherOp">]> {
  let description = "Workgroups of both kernels together.";
  let arguments = (ins Hip_Context:$beside);
  let results = (outs Index:$result);
}
def Hip_BesideOp : Hip_TextOp<"beside", "tilec::Beside(*arguments, %own, %most)", [HasParent<"LauncherOp">]> {
  let description = "A stream for a kernel of `own` workgroups, behind what has been launched so far, and `most` of those that are left for the one beside it.";
  let arguments = (ins I64Attr:$own, I64Attr:$most);
  let results = (outs Hip_Context:$result);
}
def Hip_AwaitBesideOp : Hip_Op<"await_beside", [HasParent<"LauncherOp">]> {
  let summary = "`beside.await()`: what is launched next begins when the workgroups of the kernel in the other stream have come; returns from the launcher on an error";
  let arguments = (ins Hip_Context:$beside);
  let assemblyFormat = "$beside attr-dict `:` type($beside)";
}
def Hip_JoinBesideOp : Hip_Op<"join_beside", [HasParent<"LauncherOp">]> {
  let summary = "`beside.join()`: what is launched next comes behind both kernels; returns from the launcher on an error";
  let arguments = (ins Hip_Context:$beside);
  let assemblyFormat = "$beside attr-dict `:` type($beside)";
}

#endif
