import type { Metadata, Viewport } from 'next';
import { headers } from 'next/headers';
import { NuqsAdapter } from 'nuqs/adapters/next/app';
import type { ReactNode } from 'react';
import { NonceProvider } from './_components/nonce';
import { LiveProvider } from './_stream/live-provider';
import './globals.css';

/** A page made at build time would show the clock of the build until its next minute. */
export const dynamic = 'force-dynamic';

export const metadata: Metadata = {
  title: { default: 'xdscope', template: '%s · xdscope' },
  description: 'The flight recorder and x-ray for xDS',
  // What a page names may be secret: nothing of its address goes to other sites.
  referrer: 'no-referrer',
};

export const viewport: Viewport = {
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#ffffff' },
    { media: '(prefers-color-scheme: dark)', color: '#161b22' },
  ],
};

/** As server/http/security-headers.ts gives it to Next, too. */
const noncePattern = /'nonce-([^']+)'/;

export default async function RootLayout({ children }: { readonly children: ReactNode }) {
  const policy = (await headers()).get('content-security-policy') ?? '';
  const nonce = noncePattern.exec(policy)?.[1];
  return (
    // theme.js sets data-theme before React wakes up.
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
