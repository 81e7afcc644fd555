import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import { setSecurityHeaders } from '@/server/http/security-headers';

function answer(headers: IncomingHttpHeaders, dev = false) {
  const sent = new Map<string, unknown>();
  const response = {
    setHeader(name: string, value: unknown) {
      sent.set(name, value);
      return response as never;
    },
  };
  setSecurityHeaders({ headers }, response, { dev });
  return { sent, policy: String(sent.get('content-security-policy') ?? '') };
}

const nonceOf = (policy: string): string => /script-src 'self' 'nonce-([^']+)'/.exec(policy)?.[1] ?? '';

describe('setSecurityHeaders()', () => {
  it('lets inline scripts run by a nonce alone, which no two answers share', () => {
    const [first, second] = [answer({}).policy, answer({}).policy];
    expect(nonceOf(first)).toMatch(/^[A-Za-z0-9+/]{24}$/);
    expect(nonceOf(second)).not.toBe(nonceOf(first));
    const scripts = first.split('; ').filter((directive) => directive.startsWith('script-src'));
    expect(scripts.join(' ')).not.toContain('unsafe');
    expect(first).toContain(`style-src 'self' 'nonce-${nonceOf(first)}'`);
  });

  it('gives Next the policy of the answer, whatever the request came with', () => {
    const headers: IncomingHttpHeaders = {
      'content-security-policy': "script-src 'nonce-known'",
      'content-security-policy-report-only': "script-src 'nonce-known'",
    };
    const { policy } = answer(headers);
    expect(headers).toEqual({ 'content-security-policy': policy });
  });

  it('keeps other origins from holding a window and from loading answers', () => {
    const { sent } = answer({});
    expect(sent.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(sent.get('cross-origin-resource-policy')).toBe('same-origin');
  });

  it('leaves the policy out in development', () => {
    const headers: IncomingHttpHeaders = { 'content-security-policy': "script-src 'nonce-known'" };
    expect([answer(headers, true).policy, headers]).toEqual(['', {}]);
  });
});
