/**
 * How many videos come to the storage at once through this process: the jobs are for all projects and hosts, and a
 * transfer may take half an hour. One per process, used by the job `recording.fetch`.
 */
import { createHostSlots, type HostSlots } from '../queue/host-slots.js'

/** Of one project: two from one host, and one more from another, which need not wait for a host that is slow. */
const mostOfProject = 3

export interface Transfers {
  /** Runs `work`; `turn` at once when the project or the host has as many under way as it may. */
  run<T>(projectId: string, hostId: string, work: () => Promise<T>): Promise<T | 'turn'>
}

/** `most`: of all projects together. */
export function createTransfers(most: number): Transfers {
  const hosts = createHostSlots(most)
  /** Projects that have none under way are not in it. */
  const projects = new Map<string, HostSlots>()
  return {
    async run(projectId, hostId, work) {
      const ofProject = projects.get(projectId) ?? createHostSlots(mostOfProject)
      projects.set(projectId, ofProject)
      try {
        return await hosts.run(hostId, 'long', () => ofProject.run(hostId, 'short', work))
      } finally {
        if (ofProject.taken === 0) projects.delete(projectId)
      }
    },
  }
}
