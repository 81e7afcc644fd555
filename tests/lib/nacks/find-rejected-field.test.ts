import { describe, expect, it } from 'vitest';
import { findRejectedField } from '@/lib/nacks/find-rejected-field';
import { everyNack, nackBy } from '@/lib/validate/reactions';
import type { Finding } from '@/lib/validate/validate-resource';

const routes = {
  virtualHosts: [
    {
      name: 'a',
      routes: [
        { match: { prefix: '/x' }, route: { retryPolicy: { numRetries: 0 } } },
        { match: { prefix: '/' } },
      ],
    },
    { name: 'b', routes: [{ match: { prefix: '' } }] },
  ],
};

const finding = (fieldPath: string, reactions = everyNack): Finding => ({
  ruleId: 'R1',
  source: 's',
  fieldPath,
  message: 'm',
  reactions,
});

describe('findRejectedField', () => {
  it('returns the path in the text', () => {
    expect(
      findRejectedField({ fieldPath: 'virtualHosts[1].routes[0].match' }, routes, [], 'core-1.51'),
    ).toEqual({
      path: 'virtualHosts[1].routes[0].match',
      basis: 'reported',
      isAbsent: false,
    });
  });

  it('finds an element by its name, and a single element', () => {
    expect(
      findRejectedField({ fieldPath: 'virtualHosts["b"].routes[].match' }, routes, [], 'node-1.14'),
    ).toMatchObject({
      path: 'virtualHosts[1].routes[0].match',
      basis: 'reported',
    });
  });

  it('finds a field that occurs once in the payload', () => {
    expect(findRejectedField({ fieldPath: 'retryPolicy.numRetries' }, routes, [], 'go-1.64')).toMatchObject({
      path: 'virtualHosts[0].routes[0].route.retryPolicy.numRetries',
      basis: 'found',
    });
  });

  it('returns nothing for a field that occurs several times', () => {
    expect(
      findRejectedField({ fieldPath: 'virtualHosts["a"].routes[].match' }, routes, [], 'node-1.14'),
    ).toBeUndefined();
  });

  it('chooses one of several fields by the only finding', () => {
    const findings = [
      finding('virtualHosts[0].routes[1].match.prefix'),
      finding('virtualHosts[1].routes[0]'),
    ];
    expect(
      findRejectedField({ fieldPath: 'virtualHosts["a"].routes[].match' }, routes, findings, 'node-1.14'),
    ).toMatchObject({ path: 'virtualHosts[0].routes[1].match.prefix', basis: 'concluded', ruleId: 'R1' });
  });

  it('chooses a finding within the reported part', () => {
    const findings = [finding('virtualHosts[0].routes[0].route')];
    expect(findRejectedField({ fieldPath: 'virtualHosts[0]' }, routes, findings, 'core-1.51')).toMatchObject({
      path: 'virtualHosts[0].routes[0].route',
      basis: 'concluded',
    });
  });

  it('concludes nothing from two findings, nor from findings that the client does not reject', () => {
    expect(findRejectedField({}, routes, [finding('a'), finding('b')], 'core-1.51')).toBeUndefined();
    expect(findRejectedField({}, routes, [finding('a', nackBy('go-1.64'))], 'core-1.51')).toBeUndefined();
    expect(findRejectedField({}, routes, [finding('a', nackBy('go-1.64'))], 'go-1.64')?.path).toBe('a');
  });

  it('marks a field as absent, with its parent unless the path is exact', () => {
    expect(findRejectedField({ fieldPath: 'virtualHosts[1].domains' }, routes, [], 'core-1.51')).toEqual({
      path: 'virtualHosts[1]',
      basis: 'reported',
      isAbsent: true,
    });
    expect(
      findRejectedField({ fieldPath: 'virtualHosts[1].domains', hint: {} }, routes, [], 'envoy-1.40'),
    ).toEqual({
      path: 'virtualHosts[1].domains',
      basis: 'reported',
      isAbsent: true,
    });
    expect(findRejectedField({ fieldPath: 'vhds.configSource' }, routes, [], 'core-1.51')).toEqual({
      path: 'vhds.configSource',
      basis: 'reported',
      isAbsent: true,
    });
  });

  it('names a field within a redacted value', () => {
    const json = { privateKey: '[redacted]' };
    expect(
      findRejectedField({ fieldPath: 'privateKey.filename', hint: {} }, json, [], 'envoy-1.40')?.path,
    ).toBe('privateKey.filename');
  });

  it('treats a duration as one value', () => {
    expect(
      findRejectedField({ fieldPath: 'interval.seconds' }, { interval: '5s' }, [], 'core-1.51'),
    ).toMatchObject({
      path: 'interval',
      isAbsent: false,
    });
  });

  it('returns nothing for a payload beyond the limit', () => {
    let looked = 0;
    const entry = () => ({
      get a() {
        looked += 1;
        return { b: 1 };
      },
    });
    const wide = { list: Array.from({ length: 300_000 }, entry), z: 1 };
    expect(findRejectedField({ fieldPath: 'b' }, wide, [], 'go-1.64')).toBeUndefined();
    expect(looked).toBeLessThan(300_000);
  });
});
