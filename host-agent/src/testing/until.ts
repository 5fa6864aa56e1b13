/** For tests: waiting for a condition with a deadline. */

/**
 * Waits until `condition` is true.
 * @throws Error after `ms`.
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  ms = 100_000,
  what = 'condition',
): Promise<void> {
  const end = performance.now() + ms
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`${what} did not come true within ${ms} ms`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
