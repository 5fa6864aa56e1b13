import { useId, type ComponentProps, type ReactNode } from 'react'
import { cn } from './cn'
import { Select } from './select'

/** The text in a field of a form. */
export function textOf(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name)
  return typeof value === 'string' ? value : ''
}

interface Labelled {
  label: string
  hint?: ReactNode
  error?: string | null | undefined
}

function Wrap({ id, label, hint, error, children }: Labelled & { id: string; children: ReactNode }) {
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-[13px] text-muted">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="text-[13px] text-danger">
          {error}
        </p>
      )}
    </div>
  )
}

const describedBy = (id: string, { hint, error }: Labelled): string | undefined =>
  [hint === undefined ? '' : `${id}-hint`, error ? `${id}-error` : ''].filter(Boolean).join(' ') || undefined

export function TextField({ label, hint, error, className, ...props }: Labelled & ComponentProps<'input'>) {
  const id = useId()
  return (
    <Wrap id={id} label={label} hint={hint} error={error}>
      <input
        id={id}
        className={cn('field w-full', className)}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedBy(id, { label, hint, error })}
        {...props}
      />
    </Wrap>
  )
}

export function SelectField({
  label,
  hint,
  error,
  className,
  children,
  ...props
}: Labelled & ComponentProps<'select'>) {
  const id = useId()
  return (
    <Wrap id={id} label={label} hint={hint} error={error}>
      <Select
        id={id}
        className={cn('w-full', className)}
        aria-describedby={describedBy(id, { label, hint, error })}
        {...props}
      >
        {children}
      </Select>
    </Wrap>
  )
}

/** An error that screen readers announce when it appears. */
export const FormError = ({ children }: { children: ReactNode }) => (
  <div role="alert" className="empty:absolute">
    {children ? (
      <p className="rounded-md border border-danger/40 bg-surface px-3 py-2 text-danger">{children}</p>
    ) : null}
  </div>
)
