/**
 * Recognises errors of the agent's machine, which say nothing about a phone: a full disk, a missing right to its own files, too
 * many open files, a program that cannot be started. Phones report their errors as text, never as an error code of Node.
 */
import { HostRefused, type HostFault } from '@phonerack/shared'

/** Error codes of system calls (errno(3)). */
const faults: Readonly<Record<string, HostFault>> = {
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EROFS: 'own_fault',
  EIO: 'own_fault',
  EACCES: 'own_fault',
  EPERM: 'own_fault',
  EMFILE: 'own_fault',
  ENFILE: 'own_fault',
  ENOMEM: 'own_fault',
}

/** The number of causes that are followed. */
const deepest = 10

/** Returns null for any other error. Also reads the causes of the error. */
export function ownFaultOf(error: unknown): HostFault | null {
  let at = error
  for (let depth = 0; at instanceof Error && depth < deepest; depth += 1, at = at.cause) {
    if (at instanceof HostRefused) return (at.details['host_fault'] as HostFault | undefined) ?? 'own_fault'
    const { code, syscall } = at as NodeJS.ErrnoException
    if (typeof code !== 'string' || typeof syscall !== 'string') continue
    // `spawn adb` fails with ENOENT when the program does not exist.
    const fault = syscall.startsWith('spawn') ? 'own_fault' : faults[code]
    if (fault !== undefined) return fault
  }
  return null
}

/** Returns the error that a caller receives when nothing was done on the phone. Other errors are returned unchanged. */
export function asRefusal(error: unknown): unknown {
  const fault = error instanceof HostRefused ? null : ownFaultOf(error)
  return fault === null ? error : new HostRefused(fault, error)
}

/**
 * Runs `work`, which must not change a phone when it fails by a fault of the machine.
 * @throws HostRefused for such a fault
 */
export function orRefuse<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw asRefusal(error)
  }
}
