'use client';

import { createContext, type ReactNode, useContext, useState } from 'react';

const NonceContext = createContext<string | undefined>(undefined);

interface NonceProviderProps {
  /** The nonce of the response that this was rendered for. */
  readonly nonce: string | undefined;
  readonly children: ReactNode;
}

/**
 * Keeps the first nonce: the document keeps the policy of the first response when the root layout is rendered
 * again. React Aria reads the meta element.
 */
export function NonceProvider({ nonce, children }: NonceProviderProps) {
  const [first] = useState(nonce);
  return (
    <NonceContext value={first}>
      {first !== undefined && <meta property="csp-nonce" nonce={first} suppressHydrationWarning />}
      {children}
    </NonceContext>
  );
}

/** The nonce for style elements; undefined without a policy. */
export function useNonce(): string | undefined {
  return useContext(NonceContext);
}
