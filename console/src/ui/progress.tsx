interface ProgressProps {
  label: string
  /** The finished part, from 0 to 1; null: unknown. */
  part: number | null
}

export const Progress = ({ label, part }: ProgressProps) => (
  <div
    role="progressbar"
    aria-label={label}
    aria-valuemin={0}
    aria-valuemax={100}
    {...(part === null ? {} : { 'aria-valuenow': Math.round(part * 100) })}
    className="h-1.5 overflow-hidden rounded-full bg-hover"
  >
    <div
      className={part === null ? 'h-full animate-pulse bg-primary' : 'h-full bg-primary'}
      style={{ width: `${(part ?? 1) * 100}%` }}
    />
  </div>
)
