/** A bar for each value, and a table with the same values for screen readers. */

interface Bar {
  name: string
  value: number
  text: string
}

export function Bars({ label, bars }: { label: string; bars: readonly Bar[] }) {
  const most = Math.max(...bars.map(({ value }) => value))
  return (
    <figure className="grid gap-2 p-4 sm:p-5">
      <div className="flex h-40 items-end gap-[2px] sm:gap-1" aria-hidden>
        {bars.map(({ name, value, text }) => (
          <div key={name} title={`${name}: ${text}`} className="flex h-full min-w-0 flex-1 items-end">
            <div
              className={value > 0 ? 'w-full rounded-t-sm bg-primary' : 'h-px w-full bg-border'}
              style={value > 0 ? { height: `${Math.max(2, (value / most) * 100)}%` } : {}}
            />
          </div>
        ))}
      </div>
      <figcaption className="flex justify-between text-[13px] text-muted" aria-hidden>
        <span>{bars[0]?.name}</span>
        <span>most: {bars.find(({ value }) => value === most)?.text}</span>
        <span>{bars.at(-1)?.name}</span>
      </figcaption>
      <table className="sr-only">
        <caption>{label}</caption>
        <tbody>
          {bars.map(({ name, text }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  )
}
