/** The frame of all pages of a signed-in user: sidebar, project switcher, palette. */
import { Link, Outlet } from '@tanstack/react-router'
import { LifeBuoy, Menu as MenuIcon, Search, X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { lazy, Suspense, useCallback, useContext, useEffect, useRef, useState } from 'react'
import { useSession } from '../api/session'
import icon from '../icon.svg'
import { Button } from '../ui/button'
import { Loading, Waiting } from '../ui/page'
import { ConfirmIdentity } from './confirm-identity'
import { useHandoffs, useNotifications, waitingIn } from './handoffs'
import { operatorPages, projectPages } from './nav'
import { NewProject } from './new-project'
import { useProject } from './project'
import { ProjectSwitcher } from './project-switcher'
import { UserMenu } from './user-menu'

const loadPalette = () => import('./palette')
const Palette = lazy(loadPalette)

const isApple = /Mac|iP(hone|ad)/.test(navigator.platform)

const Brand = () => (
  <Link to="/" className="flex items-center gap-2.5 rounded-md font-semibold tracking-tight">
    <img src={icon} alt="" className="size-6" />
    Phonerack
  </Link>
)

const pageLink =
  'flex h-size items-center gap-2.5 rounded-md px-3 text-muted hover:bg-hover hover:text-foreground aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-foreground'

function Navigation({ onNewProject, onGone }: { onNewProject: () => void; onGone?: () => void }) {
  const project = useProject()
  const { has_operator_pages: hasOperatorPages } = useSession()
  const waiting = useContext(Waiting)
  return (
    <div className="grid gap-4">
      {hasOperatorPages && (
        <nav aria-label="Operators" className="grid gap-0.5 border-b border-border pb-4">
          {operatorPages.map(({ to, name, icon: Icon }) => (
            <Link key={to} to={to} {...(onGone ? { onClick: onGone } : {})} className={pageLink}>
              <Icon className="size-4" aria-hidden />
              {name}
            </Link>
          ))}
        </nav>
      )}
      <nav aria-label="People">
        <Link to="/requests" {...(onGone ? { onClick: onGone } : {})} className={pageLink}>
          <LifeBuoy className="size-4" aria-hidden />
          Requests
          {waiting > 0 && (
            <span className="ml-auto rounded-full bg-warn-surface px-2 py-0.5 text-xs font-medium text-warn">
              {waiting}
              <span className="sr-only"> waiting</span>
            </span>
          )}
        </Link>
      </nav>
      <ProjectSwitcher onNew={onNewProject} {...(onGone ? { onGone } : {})} />
      {project && (
        <nav aria-label="Project" className="grid gap-0.5">
          {projectPages.map(({ to, name, icon: Icon }) => (
            <Link
              key={to}
              to={to}
              params={{ project: project.id }}
              {...(onGone ? { onClick: onGone } : {})}
              className={pageLink}
            >
              <Icon className="size-4" aria-hidden />
              {name}
            </Link>
          ))}
        </nav>
      )}
    </div>
  )
}

function SearchButton({ onClick }: { onClick: () => void }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="flex h-size items-center gap-2 rounded-md border border-border bg-surface px-3 text-muted hover:bg-hover"
    >
      <Search className="size-4" aria-hidden />
      <span>Search</span>
      <kbd className="ml-6 font-mono text-xs">{isApple ? '⌘K' : 'Ctrl K'}</kbd>
    </button>
  )
}

export function Layout() {
  const handoffs = useHandoffs().data
  useNotifications(handoffs)
  const [isPaletteOpen, setIsPaletteOpen] = useState(false)
  /** The text typed since Ctrl-K, until the palette takes it; null: no palette is about to open. */
  const typed = useRef<string | null>(null)
  const takeTyped = useCallback((): string => {
    const text = typed.current ?? ''
    typed.current = null
    return text
  }, [])
  const [isMenuOpen, setIsMenuOpen] = useState(false)
  const [isNewOpen, setIsNewOpen] = useState(false)
  useEffect(() => {
    // Loads the palette early, so that it opens without delay.
    const timer = setTimeout(() => void loadPalette(), 1000)
    return () => clearTimeout(timer)
  }, [])
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isCommand = event.metaKey || event.ctrlKey
      if (isCommand && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        typed.current = isPaletteOpen ? null : ''
        return setIsPaletteOpen(!isPaletteOpen)
      }
      // Collects keys while the palette is being loaded.
      if (typed.current === null || isCommand || event.altKey || event.key.length !== 1) return
      event.preventDefault()
      typed.current += event.key
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [isPaletteOpen])
  const openNew = (): void => {
    setIsMenuOpen(false)
    setIsNewOpen(true)
  }
  return (
    <Waiting value={waitingIn(handoffs ?? [])}>
      <div className="flex min-h-dvh">
        <a
          href="#main"
          className="sr-only focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-surface focus:px-3 focus:py-2"
        >
          Skip to content
        </a>
        <aside className="sticky top-0 hidden h-dvh w-60 shrink-0 flex-col gap-5 overflow-y-auto border-r border-border bg-surface p-4 md:flex">
          <Brand />
          <Navigation onNewProject={openNew} />
        </aside>
        <div className="flex min-w-0 flex-1 flex-col">
          <header className="sticky top-0 z-30 flex h-14 items-center justify-between gap-2 border-b border-border bg-surface px-4 sm:px-8">
            <div className="flex items-center gap-2 md:hidden">
              <Radix.Root open={isMenuOpen} onOpenChange={setIsMenuOpen}>
                <Radix.Trigger asChild>
                  <Button look="ghost" size="icon" aria-label="Open the menu">
                    <MenuIcon aria-hidden />
                  </Button>
                </Radix.Trigger>
                <Radix.Portal>
                  <Radix.Overlay className="fixed inset-0 z-40 bg-black/50" />
                  <Radix.Content
                    aria-describedby={undefined}
                    className="fixed inset-y-0 left-0 z-50 flex w-72 flex-col gap-5 overflow-y-auto border-r border-border bg-surface p-4"
                  >
                    <Radix.Title className="sr-only">Menu</Radix.Title>
                    <div className="flex items-center justify-between">
                      <Brand />
                      <Radix.Close asChild>
                        <Button look="ghost" size="icon" aria-label="Close the menu">
                          <X aria-hidden />
                        </Button>
                      </Radix.Close>
                    </div>
                    <Navigation onNewProject={openNew} onGone={() => setIsMenuOpen(false)} />
                  </Radix.Content>
                </Radix.Portal>
              </Radix.Root>
              <Brand />
            </div>
            <div className="hidden sm:block">
              <SearchButton onClick={() => setIsPaletteOpen(true)} />
            </div>
            <div className="flex items-center gap-1">
              <Button
                look="ghost"
                size="icon"
                className="sm:hidden"
                aria-label="Search"
                onClick={() => setIsPaletteOpen(true)}
              >
                <Search aria-hidden />
              </Button>
              <UserMenu />
            </div>
          </header>
          <main id="main" tabIndex={-1} className="min-w-0 flex-1 outline-none">
            <Suspense fallback={<Loading />}>
              <Outlet />
            </Suspense>
          </main>
        </div>
        <NewProject isOpen={isNewOpen} onOpenChange={setIsNewOpen} />
        <ConfirmIdentity />
        {isPaletteOpen && (
          <Suspense>
            <Palette isOpen onOpenChange={setIsPaletteOpen} onNewProject={openNew} takeTyped={takeTyped} />
          </Suspense>
        )}
      </div>
    </Waiting>
  )
}
