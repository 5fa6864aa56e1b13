/** A button that opens the browser's choice of files. */
import { Upload } from 'lucide-react'
import { useRef } from 'react'
import { Button } from '../../ui/button'

interface Props {
  label: string
  accept?: string
  onFiles: (files: readonly File[]) => void
}

export function ChooseFiles({ label, accept, onFiles }: Props) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        accept={accept}
        hidden
        aria-label={label}
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])])
          // Allows the user to choose the same file again.
          currentTarget.value = ''
        }}
      />
      <Button size="small" onClick={() => input.current?.click()}>
        <Upload aria-hidden /> {label}
      </Button>
    </>
  )
}
