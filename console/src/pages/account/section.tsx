/** A part of the page of the user's account. */
import { type ReactNode } from 'react'
import { Card } from '../../ui/page'

interface SectionProps {
  id: string
  title: string
  action?: ReactNode
  children: ReactNode
}

export const Section = ({ id, title, action, children }: SectionProps) => (
  <section className="grid gap-3" aria-labelledby={id}>
    <div className="flex min-h-9 flex-wrap items-center justify-between gap-4">
      <h2 id={id} className="font-semibold">
        {title}
      </h2>
      {action}
    </div>
    <Card>{children}</Card>
  </section>
)
