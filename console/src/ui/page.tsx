/** The frame of each page: heading, cards, and the states of loading and of an empty list. */
import { createContext, useContext, type ReactNode } from 'react'
import { undirected } from '../direction'
import { cn } from './cn'

/** The number of agents that wait for a person. The titles of all pages begin with it. */
export const Waiting = createContext(0)

interface PageProps {
  title: string
  description?: ReactNode
  actions?: ReactNode
  /** A link to the parent page. */
  back?: ReactNode
  /** The page uses more of a wide window. */
  isWide?: boolean
  children: ReactNode
}

export function Page({ title, description, actions, back, isWide = false, children }: PageProps) {
  const waiting = useContext(Waiting)
  return (
    <div
      className={cn(
        'mx-auto grid w-full grid-cols-1 gap-5 px-4 py-6 sm:px-8 sm:py-8',
        isWide ? 'max-w-7xl' : 'max-w-5xl',
      )}
    >
      <title>{`${waiting > 0 ? `(${waiting}) ` : ''}${undirected(title)} · Phonerack`}</title>
      <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="grid min-w-0 gap-1">
          {back}
          <h1 className="text-xl font-semibold tracking-tight break-words">{undirected(title)}</h1>
          {description !== undefined && <div className="max-w-prose text-muted">{description}</div>}
        </div>
        {actions}
      </header>
      {children}
    </div>
  )
}

export const Card = ({ className, children }: { className?: string; children: ReactNode }) => (
  <section className={cn('overflow-hidden rounded-lg border border-border bg-surface', className)}>
    {children}
  </section>
)

interface EmptyProps {
  icon: ReactNode
  title: string
  children?: ReactNode
}

export const Empty = ({ icon, title, children }: EmptyProps) => (
  <div className="grid justify-items-center gap-3 px-6 py-10 text-center">
    <div className="grid size-11 place-items-center rounded-full bg-hover text-muted" aria-hidden>
      {icon}
    </div>
    <p className="font-medium">{title}</p>
    {children !== undefined && (
      <div className="grid max-w-sm justify-items-center gap-4 text-muted">{children}</div>
    )}
  </div>
)

/** Placeholder rows while a list is loaded. */
export const Loading = () => (
  <div className="grid gap-4 p-5" role="status" aria-label="Loading">
    {[70, 55, 62].map((width) => (
      <div key={width} className="h-4 animate-pulse rounded bg-hover" style={{ width: `${width}%` }} />
    ))}
  </div>
)
