/** A name inside a sentence. Direction marks in the name do not affect the text around it. */
import { undirected } from '../direction'

export const Name = ({ children, className }: { children: string; className?: string }) => (
  <bdi className={className}>{undirected(children)}</bdi>
)
