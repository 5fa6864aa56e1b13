/** The project that is shown, which is in the path. */
import { useParams } from '@tanstack/react-router'
import { useSession, type ProjectRef } from '../api/session'

/** Null: the page does not belong to a project. */
export function useProject(): ProjectRef | null {
  const { project } = useParams({ strict: false })
  return useSession().projects.find(({ id }) => id === project) ?? null
}

const lastKey = 'phonerack.project'

export const rememberProject = (id: string): void => localStorage.setItem(lastKey, id)

/** The project of the last visit, or the first one. */
export const projectToOpen = (projects: readonly ProjectRef[]): ProjectRef | undefined =>
  projects.find(({ id }) => id === localStorage.getItem(lastKey)) ?? projects[0]
