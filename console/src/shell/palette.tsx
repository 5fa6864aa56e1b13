/** The command palette: pages, projects and actions by keyboard. The layout loads it when it is first opened. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Command } from 'cmdk'
import {
  BookOpen,
  Boxes,
  FolderOpen,
  LifeBuoy,
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
import { useDeferredValue, useLayoutEffect, useState, type ComponentProps, type ReactNode } from 'react'
import { call } from '../api/client'
import { isAtLeast, useSession } from '../api/session'
import { undirected } from '../direction'
import { useFocusReturn } from '../ui/focus-return'
import { operatorPages, projectPages } from './nav'
import { PhoneCommands } from './phone-commands'
import { useProject } from './project'
import { setTheme } from './theme'
import { useSignOut } from './user-menu'

interface PaletteProps {
  isOpen: boolean
  onOpenChange: (isOpen: boolean) => void
  onNewProject: () => void
  /** Returns the text that was typed before the palette was loaded, and clears it. */
  takeTyped: () => string
}

const Content = (props: ComponentProps<typeof Radix.Content>) => (
  <Radix.Content onCloseAutoFocus={useFocusReturn()} {...props} />
)

const group =
  '[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-[13px] [&_[cmdk-group-heading]]:text-muted'

/** Searches the phones of the project, once the person pauses typing. */
function useFound(project: string | undefined, text: string) {
  const search = useDeferredValue(text.trim())
  const found = useQuery({
    queryKey: ['found phones', project, search],
    queryFn: () => call('GET /projects/:project/phones', { project: project ?? '', search }),
    enabled: project !== undefined && search.length >= 2,
  })
  return found.data?.data.slice(0, 10) ?? []
}

export default function Palette({ isOpen, onOpenChange, onNewProject, takeTyped }: PaletteProps) {
  const {
    projects,
    has_operator_pages: hasOperatorPages,
    base_url: baseUrl,
    operator_console_url: operatorConsole,
  } = useSession()
  const project = useProject()
  const navigate = useNavigate()
  const leave = useSignOut()
  const { phone } = useParams({ strict: false })
  const [text, setText] = useState('')
  useLayoutEffect(() => {
    const typed = takeTyped()
    if (typed !== '') setText(typed)
  }, [takeTyped])
  const found = useFound(project?.id, text)
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
              placeholder="Go to a page, phone or project…"
              value={text}
              onValueChange={setText}
              className="h-12 w-full border-b border-border bg-transparent px-4 outline-none placeholder:text-muted"
            />
            <Command.List className="max-h-[50vh] overflow-y-auto p-1.5" tabIndex={-1}>
              <Command.Empty className="px-2.5 py-6 text-center text-muted">Nothing found.</Command.Empty>
              {project && phone !== undefined && isAtLeast(project.role, 'member') && (
                <Command.Group heading="This phone" className={group}>
                  <PhoneCommands project={project.id} phone={phone} item={item} />
                </Command.Group>
              )}
              {project && found.length > 0 && (
                <Command.Group heading="Phones" className={group}>
                  {found.map(({ id, name }) =>
                    item(
                      undirected(name),
                      <Smartphone aria-hidden />,
                      () =>
                        void navigate({
                          to: '/projects/$project/phones/$phone',
                          params: { project: project.id, phone: id },
                        }),
                      `${name} ${id}`,
                    ),
                  )}
                </Command.Group>
              )}
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
                {item('Requests', <LifeBuoy aria-hidden />, () => void navigate({ to: '/requests' }))}
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
