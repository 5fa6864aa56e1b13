/** The frame of all pages of a signed-in user: sidebar, project switcher, palette. */
import { Link, Outlet } from '@tanstack/react-router'
import { Menu as MenuIcon, Search, X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useSession } from '../api/session'
import icon from '../icon.svg'
import { Button } from '../ui/button'
import { Loading } from '../ui/page'
import { ConfirmIdentity } from './confirm-identity'
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
  const [isPaletteOpen, setIsPaletteOpen] = useState(false)
  const [isMenuOpen, setIsMenuOpen] = useState(false)
  const [isNewOpen, setIsNewOpen] = useState(false)
  useEffect(() => {
    // So that the first keys after Ctrl-K are not lost.
    const timer = setTimeout(() => void loadPalette(), 1000)
    return () => clearTimeout(timer)
  }, [])
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
      setIsPaletteOpen((isOpen) => !isOpen)
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
  const openNew = (): void => {
    setIsMenuOpen(false)
    setIsNewOpen(true)
  }
  return (
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
          <Palette isOpen onOpenChange={setIsPaletteOpen} onNewProject={openNew} />
        </Suspense>
      )}
    </div>
  )
}
