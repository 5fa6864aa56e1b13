/** Waits and listeners that end with an `AbortSignal`. Used by all services. */

/**
 * Calls `listener` once when `signal` aborts, immediately if it has already aborted. Returns a function that removes
 * the listener. Call it when the work is over, because a long-lived signal keeps its listeners in memory.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const once = (): void => listener()
  if (signal.aborted) once()
  else signal.addEventListener('abort', once, { once: true })
  return () => signal.removeEventListener('abort', once)
}

/** Waits `ms` milliseconds, or less when `signal` aborts. Never rejects. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      forget()
      resolve()
    }, ms)
    const forget = onAbort(signal, () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
