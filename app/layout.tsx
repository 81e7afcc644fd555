import './globals.css';
import type { Metadata, Viewport } from 'next';
import { headers } from 'next/headers';
import { NuqsAdapter } from 'nuqs/adapters/next/app';
import type { ReactNode } from 'react';
import { preload } from 'react-dom';
import { NonceProvider } from './_components/nonce';
import { LiveProvider } from './_stream/live-provider';

/** A page rendered at build time would show the time of the build. */
export const dynamic = 'force-dynamic';

export const metadata: Metadata = {
  title: { default: 'xdscope', template: '%s - xdscope' },
  description: 'The flight recorder and x-ray for xDS',
  // Names in URLs may be confidential, so no referrer is sent to other sites.
  referrer: 'no-referrer',
};

export const viewport: Viewport = {
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#ffffff' },
    { media: '(prefers-color-scheme: dark)', color: '#161b22' },
  ],
};

/** The fonts of almost all text: without them, the first picture has other widths, and its lines break elsewhere. */
const fonts = [
  new URL('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2', import.meta.url),
  new URL(
    '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2',
    import.meta.url,
  ),
];

/** The header of server/http/security-headers.ts. */
const noncePattern = /'nonce-([^']+)'/;

export default async function RootLayout({ children }: { readonly children: ReactNode }) {
  const policy = (await headers()).get('content-security-policy') ?? '';
  const nonce = noncePattern.exec(policy)?.[1];
  for (const font of fonts)
    preload(String(font), { as: 'font', type: 'font/woff2', crossOrigin: 'anonymous' });
  return (
    // theme.js sets data-theme before hydration.
    <html lang="en" suppressHydrationWarning>
      <head>
        <script src="/theme.js" />
      </head>
      <body>
        <NonceProvider nonce={nonce}>
          <NuqsAdapter>
            <LiveProvider>{children}</LiveProvider>
          </NuqsAdapter>
        </NonceProvider>
      </body>
    </html>
  );
}
