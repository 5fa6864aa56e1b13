/**
 * Limits the videos that this process transfers to the storage concurrently: the jobs serve all projects and
 * hosts, and a transfer may take half an hour. Used by the job `recording.fetch`.
 */
import { createHostSlots, type HostSlots } from '../../base/queue/host-slots.js'

/**
 * A project transfers two videos from one host and one video from another host, so that the project does not
 * wait for a slow host.
 */
const maxOfProject = 3

export interface Transfers {
  /** Runs `work`. Returns `turn` immediately when the project or the host has reached its limit. */
  run<T>(projectId: string, hostId: string, work: () => Promise<T>): Promise<T | 'turn'>
}

/** @param most transfers of all projects together */
export function createTransfers(most: number): Transfers {
  const hosts = createHostSlots(most)
  /** Projects without transfers have no entry. */
  const projects = new Map<string, HostSlots>()
  return {
    async run(projectId, hostId, work) {
      const ofProject = projects.get(projectId) ?? createHostSlots(maxOfProject)
      projects.set(projectId, ofProject)
      try {
        return await hosts.run(hostId, 'long', () => ofProject.run(hostId, 'short', work))
      } finally {
        if (ofProject.taken === 0) projects.delete(projectId)
      }
    },
  }
}
