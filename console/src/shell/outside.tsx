/** The frame of pages for people who are not signed in. */
import { type ReactNode } from 'react'
import icon from '../icon.svg'

interface Props {
  title: string
  description?: ReactNode
  children: ReactNode
}

export const Outside = ({ title, description, children }: Props) => (
  <main className="grid min-h-dvh place-items-center px-4 py-10">
    <title>{`${title} · Phonerack`}</title>
    <div className="grid w-full max-w-sm gap-6">
      <div className="grid justify-items-center gap-4 text-center">
        <img src={icon} alt="" className="size-10" />
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        {description !== undefined && <p className="text-muted">{description}</p>}
      </div>
      <div className="grid gap-4 rounded-lg border border-border bg-surface p-5">{children}</div>
    </div>
  </main>
)
