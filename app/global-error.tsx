'use client';

import type { ComponentProps } from 'react';
import ErrorPage from './error';
import './globals.css';

/** Replaces the root layout when that one fails. */
export default function GlobalError(props: ComponentProps<typeof ErrorPage>) {
  return (
    <html lang="en">
      <body>
        <ErrorPage {...props} />
      </body>
    </html>
  );
}
