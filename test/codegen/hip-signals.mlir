// Roles, signals and live memory of the hand-written kernel form, as text.
// RUN: tilec %examples/02_signal/signal.mlir --world 2 --emit=hip | FileCheck %s

// CHECK: extern "C" __global__ __launch_bounds__(256)
// CHECK-NEXT: void signal_kernel(const tilec::Context context, const float *__restrict__ a, float *__restrict__ b, char *scratch,
// CHECK: const auto consumed = tilec::Signals<1>{context, {{.*}}, {1}};
// Two copies: a peer may write the next launch's while this one is read.
// CHECK: float *const inbox = tilec::copy_of<float>(scratch, launch.epoch % 2, {{.*}});
// One queue for the pool: the ticket that ends the first role's loop is the second's first.
// CHECK: int task = tilec::next(launch, 0);
// CHECK: // before the writes to inbox
// CHECK-NEXT: tilec::wait<tilec::system>(launch, consumed, {0}, {1}, 2);
// CHECK: // send
// CHECK-NEXT: for (; task < send_tasks; task = tilec::next(launch, 0)) {
// A buffer that nobody writes meanwhile is loaded plainly.
// CHECK: const auto t = tilec::load<
// CHECK: tilec::store<4>(t, tilec::view(tilec::remote(context, inbox, next), {M, 256}, {256, 1}), {m * 64, n * 64});
// CHECK-NEXT: // publishes the tile of inbox
// CHECK-NEXT: tilec::signal<tilec::system>(launch, sent, {m, n}, next);
// CHECK: // receive
// CHECK-NEXT: for (; task < receive_end; task = tilec::next(launch, 0)) {
// CHECK-NEXT: const int receive_task = task - send_tasks;
// CHECK: // before the reads of inbox
// CHECK-NEXT: tilec::wait<tilec::system>(launch, sent, {m, n}, {1, 1});
// CHECK-NEXT: const auto t = tilec::load_live<
// CHECK: twice[i] = t[i] + t[i];
// CHECK: if (tilec::last<tilec::system>(launch)) {
// CHECK-NEXT: tilec::signal<tilec::system>(launch, consumed, {0}, previous);
// CHECK-NEXT: tilec::leave(launch, /*advance=*/true);

// CHECK: extern "C" int signal_launch(const tilec::LaunchArguments *arguments) {
// CHECK: char *const scratch = arguments->workspace;
// CHECK: const int max_M = static_cast<int>(arguments->max_extents[0]);
// CHECK: return tilec::launch_kernel(signal_kernel, arguments->workgroups, 256,
