/** The rules for when the devices of a host fail together (`devices/degraded.ts`). docs/decisions/0219 */

/** @param windowSeconds `PHONERACK_DEGRADED_WINDOW`; 0 switches the rules off */
export const degradedRules = (windowSeconds: number) => ({
  windowMs: windowSeconds * 1000,
  linkGraceMs: 30_000,
  startHoldMs: Math.min(90, windowSeconds) * 1000,
})
