/** The command palette: pages, projects and actions by keyboard. Loaded when it is first opened. */
import { useNavigate } from '@tanstack/react-router'
import { Command } from 'cmdk'
import {
  BookOpen,
  Boxes,
  FolderOpen,
  LogOut,
  Monitor,
  Moon,
  Plus,
  Server,
  Smartphone,
  SquareTerminal,
  Sun,
  UserCog,
} from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type ComponentProps, type ReactNode } from 'react'
import { useSession } from '../api/session'
import { useFocusReturn } from '../ui/focus-return'
import { operatorPages, projectPages } from './nav'
import { useProject } from './project'
import { setTheme } from './theme'
import { useSignOut } from './user-menu'

interface PaletteProps {
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
  onNewProject: () => void
}

const Content = (props: ComponentProps<typeof Radix.Content>) => (
  <Radix.Content onCloseAutoFocus={useFocusReturn()} {...props} />
)

const group =
  '[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-[13px] [&_[cmdk-group-heading]]:text-muted'

export default function Palette({ isOpen, onOpenChange, onNewProject }: PaletteProps) {
  const {
    projects,
    has_operator_pages: hasOperatorPages,
    base_url: baseUrl,
    operator_console_url: operatorConsole,
  } = useSession()
  const project = useProject()
  const navigate = useNavigate()
  const leave = useSignOut()
  const item = (name: string, icon: ReactNode, run: () => void, value = name) => (
    <Command.Item
      key={value}
      value={value}
      className="flex min-h-size items-center gap-2.5 rounded px-2.5 py-1.5 data-[selected=true]:bg-hover [&_svg]:size-4 [&_svg]:text-muted"
      onSelect={() => {
        onOpenChange(false)
        run()
      }}
    >
      {icon}
      <span className="truncate">{name}</span>
    </Command.Item>
  )
  return (
    <Radix.Root open={isOpen} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/50" />
        <Content
          aria-describedby={undefined}
          className="fixed inset-x-4 top-[12vh] z-50 mx-auto max-w-lg overflow-hidden rounded-lg border border-border bg-surface shadow-xl"
        >
          <Radix.Title className="sr-only">Command palette</Radix.Title>
          <Command label="Search commands" loop>
            <Command.Input
              placeholder="Go to a page or project…"
              className="h-12 w-full border-b border-border bg-transparent px-4 outline-none placeholder:text-muted"
            />
            <Command.List className="max-h-[50vh] overflow-y-auto p-1.5" tabIndex={-1}>
              <Command.Empty className="px-2.5 py-6 text-center text-muted">Nothing found.</Command.Empty>
              {project && (
                <Command.Group heading={project.name} className={group}>
                  {projectPages.map(({ to, name, icon: Icon }) =>
                    item(
                      name,
                      <Icon aria-hidden />,
                      () => void navigate({ to, params: { project: project.id } }),
                    ),
                  )}
                </Command.Group>
              )}
              {hasOperatorPages && (
                <Command.Group heading="Operators" className={group}>
                  {operatorPages.map(({ to, name, icon: Icon }) =>
                    item(name, <Icon aria-hidden />, () => void navigate({ to })),
                  )}
                </Command.Group>
              )}
              <Command.Group heading="Projects" className={group}>
                {projects.map(({ id, name }) =>
                  item(
                    name,
                    <FolderOpen aria-hidden />,
                    () => void navigate({ to: '/projects/$project/phones', params: { project: id } }),
                    `${name} ${id}`,
                  ),
                )}
                {item(
                  'Phones of all projects',
                  <Smartphone aria-hidden />,
                  () => void navigate({ to: '/phones' }),
                )}
                {item('Your projects', <Boxes aria-hidden />, () => void navigate({ to: '/projects' }))}
                {item('New project', <Plus aria-hidden />, onNewProject)}
              </Command.Group>
              <Command.Group heading="You" className={group}>
                {item(
                  'Connect a terminal',
                  <SquareTerminal aria-hidden />,
                  () => void navigate({ to: '/connect' }),
                )}
                {item('Your account', <UserCog aria-hidden />, () => void navigate({ to: '/account' }))}
                {item('Light theme', <Sun aria-hidden />, () => setTheme('light'))}
                {item('Dark theme', <Moon aria-hidden />, () => setTheme('dark'))}
                {item('Theme of the system', <Monitor aria-hidden />, () => setTheme('system'))}
                {item('Documentation', <BookOpen aria-hidden />, () =>
                  window.location.assign(`${baseUrl}/docs`),
                )}
                {operatorConsole !== null &&
                  item('Operators’ console', <Server aria-hidden />, () =>
                    window.location.assign(operatorConsole),
                  )}
                {item('Sign out', <LogOut aria-hidden />, leave)}
              </Command.Group>
            </Command.List>
          </Command>
        </Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
