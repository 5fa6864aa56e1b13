/** The settings of the theme. */
import type { DefaultTheme } from 'vitepress'

export interface ThemeConfig extends DefaultTheme.Config {
  /** The program of the API reference, below the base of the site. */
  apiReference: string
}
