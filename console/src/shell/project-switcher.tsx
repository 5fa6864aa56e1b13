import { useNavigate } from '@tanstack/react-router'
import { Boxes, Check, ChevronsUpDown, Plus, Smartphone } from 'lucide-react'
import { useSession } from '../api/session'
import { Menu, MenuItem, MenuLabel, MenuLine } from '../ui/menu'
import { useProject } from './project'

/** @param onGone called after the user chose a page */
export function ProjectSwitcher({ onNew, onGone }: { onNew: () => void; onGone?: () => void }) {
  const { projects } = useSession()
  const current = useProject()
  const navigate = useNavigate()
  const go: typeof navigate = (to) => {
    onGone?.()
    return navigate(to)
  }
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          className="flex h-10 w-full min-w-0 items-center justify-between gap-2 rounded-md border border-border bg-surface px-3 text-left hover:bg-hover"
        >
          <span className="truncate font-medium">{current?.name ?? 'Choose a project'}</span>
          <span className="sr-only">Switch project</span>
          <ChevronsUpDown className="size-4 shrink-0 text-muted" aria-hidden />
        </button>
      }
    >
      <MenuLabel>Projects</MenuLabel>
      {projects.map((project) => (
        <MenuItem
          key={project.id}
          onSelect={() => void go({ to: '/projects/$project/phones', params: { project: project.id } })}
        >
          <span className="min-w-0 flex-1 truncate">{project.name}</span>
          {project.id === current?.id && <Check aria-label="current" />}
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem onSelect={() => void go({ to: '/phones' })}>
        <Smartphone aria-hidden /> Phones of all projects
      </MenuItem>
      <MenuItem onSelect={() => void go({ to: '/projects' })}>
        <Boxes aria-hidden /> Your projects
      </MenuItem>
      <MenuItem onSelect={onNew}>
        <Plus aria-hidden /> New project
      </MenuItem>
    </Menu>
  )
}
