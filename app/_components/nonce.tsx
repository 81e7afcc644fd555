'use client';

import { createContext, type ReactNode, useContext, useState } from 'react';

const NonceContext = createContext<string | undefined>(undefined);

interface NonceProviderProps {
  /** Of the answer that this was rendered for. */
  readonly nonce: string | undefined;
  readonly children: ReactNode;
}

/**
 * Keeps the nonce of the document's content security policy. When the root layout is rendered again for a later answer, the
 * document still has the policy of the first. React Aria reads the meta element.
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

/** What a style element needs to be applied; undefined where there is no policy. */
export function useNonce(): string | undefined {
  return useContext(NonceContext);
}
