import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'

const sidebar = JSON.parse(readFileSync(new URL('./sidebar.json', import.meta.url)))

export default defineConfig({
  title: 'emend',
  description: 'What a model writes, true on disk entirely or not at all, on record and reversible',
  lang: 'en',
  head: [['link', { rel: 'icon', href: 'data:image/svg+xml,' + encodeURIComponent(readFileSync(new URL('./icon.svg', import.meta.url), 'utf8')) }]],
  vite: { logLevel: 'warn' },
  markdown: {
    // As on GitHub, where the same links are followed.
    anchor: { slugify: (text) => text.trim().toLowerCase().replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '').replaceAll(' ', '-') },
    config(md) {
      // Vue would evaluate what stands between double braces.
      for (const rule of ['text', 'code_block']) {
        const render = md.renderer.rules[rule]
        md.renderer.rules[rule] = (...args) => render(...args).replaceAll('{{', '&#123;&#123;')
      }
    },
  },
  themeConfig: {
    sidebar,
    nav: [
      { text: 'Why', link: '/docs/why' },
      { text: 'Install', link: '/docs/install' },
      { text: 'Reference', link: '/reference/commands' },
    ],
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: 'https://github.com/emend-dev/emend', ariaLabel: 'The repository' }],
  },
})
