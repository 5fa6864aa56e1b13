/** The current project: the project in the path, or the project of the last visit. */
import { useParams } from '@tanstack/react-router'
import { useSession } from '../api/session'
import { type ProjectRef } from '../api/types'

/** Null: the user does not belong to any project, or not to the project in the path. */
export function useProject(): ProjectRef | null {
  const { project } = useParams({ strict: false })
  const { projects } = useSession()
  if (project === undefined) return projectToOpen(projects) ?? null
  return projects.find(({ id }) => id === project) ?? null
}

const lastKey = 'phonerack.project'

export const rememberProject = (id: string): void => localStorage.setItem(lastKey, id)

/** The project of the last visit, or the first project. */
export const projectToOpen = (projects: readonly ProjectRef[]): ProjectRef | undefined =>
  projects.find(({ id }) => id === localStorage.getItem(lastKey)) ?? projects[0]
