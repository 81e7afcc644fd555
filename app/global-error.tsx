'use client';

import ErrorPage from './error';
import './globals.css';

interface GlobalErrorProps {
  readonly error: unknown;
  readonly retry: () => void;
}

/** Stands in for the root layout when that one fails. */
export default function GlobalError(props: GlobalErrorProps) {
  return (
    <html lang="en">
      <body>
        <ErrorPage {...props} />
      </body>
    </html>
  );
}
