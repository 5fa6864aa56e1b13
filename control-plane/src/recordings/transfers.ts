/** How many videos of one project come to the storage at once through this process: the jobs are for all projects. */

const mostOfProject = 2

export interface Transfers {
  /** Runs `work`; `turn` at once when the project has as many under way as it may. */
  run<T>(projectId: string, work: () => Promise<T>): Promise<T | 'turn'>
}

export function createTransfers(): Transfers {
  /** Projects that have none under way are not in it. */
  const underWay = new Map<string, number>()
  return {
    async run(projectId, work) {
      const count = underWay.get(projectId) ?? 0
      if (count >= mostOfProject) return 'turn'
      underWay.set(projectId, count + 1)
      try {
        return await work()
      } finally {
        const left = (underWay.get(projectId) ?? 1) - 1
        if (left > 0) underWay.set(projectId, left)
        else underWay.delete(projectId)
      }
    },
  }
}

export const transfers = createTransfers()
