import { describe, expect, it } from 'vitest';
import { placeError } from '@/app/_views/sources/add-source-dialog';
import { draftTransportChoices, securityChoices } from '@/app/_views/sources/source-choices';
import { emptyDraft, toNewSource } from '@/app/_views/sources/source-draft';
import { summariseServers, summariseSource } from '@/app/_views/sources/sources-table';
import { newSource, type ProbeSettingsShown } from '@/lib/views/sources/schema';
import { CDS } from '@/lib/xds/resource-type';
import { source } from '@/tests/support/builders/fleet-fixtures';

const settings: ProbeSettingsShown = {
  transport: 'ads',
  apiVersion: 'v3',
  mode: 'observe',
  profile: 'core',
  errorModel: 'pre-a88',
  nodeId: 'me',
  listeners: [],
  resources: {},
  servers: [{ target: 'a:1', security: 'plain', sendsToken: false }],
  authorities: [],
};

describe('toNewSource', () => {
  it.each([
    [{ kind: 'csds', mode: 'validate', listeners: 'x' }, undefined],
    [{ kind: 'csds', security: 'tls', serverName: ' ' }, { tls: {} }],
    [{ kind: 'envoy-admin', security: 'tls' }, undefined],
    [{ kind: 'envoy-admin', security: 'credentials:mesh-a' }, undefined],
    [
      { kind: 'istiod', security: 'tls', nodeId: ' me ' },
      { nodeId: 'me', tls: {} },
    ],
  ] as const)('sends only the settings of the kind of source: %o', (draft, expected) => {
    const sent = toNewSource({ ...emptyDraft, ...draft, target: ' a:1 ' });
    expect(sent).toEqual({ kind: draft.kind, target: 'a:1', ...(expected && { settings: expected }) });
  });

  it('sends neither address, TLS nor transport with a bootstrap, which contains them', () => {
    const draft = {
      ...emptyDraft,
      kind: 'ads',
      from: 'bootstrap',
      bootstrap: '{}',
      security: 'tls',
      listeners: ' xds:///shop \n\n cart',
      label: ' shop ',
    } as const;
    const { apiVersion, mode, profile, errorModel } = settings;
    expect(toNewSource(draft)).toEqual({
      kind: 'ads',
      bootstrap: '{}',
      label: 'shop',
      settings: {
        ...{ apiVersion, mode, profile, errorModel },
        listeners: ['xds:///shop', 'cart'],
      },
    });
  });

  it('sends an address beside a bootstrap, with TLS and a transport of its own', () => {
    const draft = { kind: 'ads', from: 'bootstrap', bootstrap: '{}', target: ' a:1 ' } as const;
    const chosen = { security: 'tls', serverName: 'a.example', serverListeners: 'b:2' } as const;
    const sent = toNewSource({ ...emptyDraft, ...draft, ...chosen, transport: 'delta-ads' });
    expect(sent).toMatchObject({
      ...{ bootstrap: '{}', target: 'a:1' },
      settings: { transport: 'delta-ads', tls: { serverName: 'a.example' } },
    });
    expect(sent.settings).not.toHaveProperty('serverListeners');
    expect(newSource.parse(sent)).toEqual(sent);
  });

  it('sends server listeners only with a bootstrap, which has the name template, and the node ID', () => {
    const draft = { kind: 'ads', serverListeners: '0.0.0.0:8080\n\n [::1]:443 ', nodeId: ' me ' } as const;
    const bootstrap = toNewSource({ ...emptyDraft, ...draft, from: 'bootstrap', bootstrap: '{}' });
    expect(bootstrap.settings).toMatchObject({
      serverListeners: ['0.0.0.0:8080', '[::1]:443'],
      nodeId: 'me',
    });
    expect(newSource.parse(bootstrap)).toEqual(bootstrap);
    const address = toNewSource({ ...emptyDraft, ...draft, target: 'a:1' });
    expect(address.settings).not.toHaveProperty('serverListeners');
  });

  it('is accepted by the API', () => {
    for (const kind of ['csds', 'istiod', 'ads'] as const) {
      for (const security of ['plain', 'tls', 'credentials:mesh-a'] as const) {
        const sent = toNewSource({ ...emptyDraft, kind, security, target: 'a:1', serverName: 'a.example' });
        expect(newSource.parse(sent)).toEqual(sent);
      }
    }
  });

  it('sends a credential name instead of TLS, with a bootstrap too', () => {
    const draft = { ...emptyDraft, security: 'credentials:mesh-a', serverName: 'a' } as const;
    expect(toNewSource({ ...draft, target: 'a:1' }).settings).toEqual({ credentials: 'mesh-a' });
    const bootstrap = toNewSource({ ...draft, kind: 'ads', from: 'bootstrap', bootstrap: '{}' });
    expect(bootstrap.settings).toMatchObject({ credentials: 'mesh-a' });
    expect(bootstrap.settings).not.toHaveProperty('tls');
  });
});

describe('draftTransportChoices', () => {
  it('offers the transport of a bootstrap, if there is one, before the others', () => {
    const valuesOf = (isBootstrap: boolean) => draftTransportChoices(isBootstrap).map(({ value }) => value);
    expect(valuesOf(true)).toEqual(['default', ...valuesOf(false)]);
    expect(valuesOf(false)[0]).toBe('ads');
  });
});

describe('securityChoices', () => {
  it('offers plain text, TLS and credentials by name, with their targets', () => {
    const credentials = [
      { name: 'mesh-a', targets: ['*.mesh.svc:15012'] },
      { name: 'b', targets: [] },
    ];
    expect(securityChoices(credentials, false).map(({ value }) => value)).toEqual([
      'plain',
      'tls',
      'credentials:mesh-a',
      'credentials:b',
    ]);
    const ofBootstrap = securityChoices(credentials, true);
    expect(ofBootstrap.map(({ label }) => label)).toEqual([
      'From the bootstrap',
      'Credentials: mesh-a',
      'Credentials: b',
    ]);
    expect(ofBootstrap[1]?.text).toContain('*.mesh.svc:15012');
    expect(ofBootstrap[2]?.text).toContain('no target');
  });
});

describe('placeError', () => {
  const ads = { kind: 'ads', from: 'address', target: '' } as const;
  it.each([
    ['target', 'target'],
    ['settings.listeners.1', 'settings.listeners'],
    ['settings.serverListeners.0', 'settings.serverListeners'],
    ['settings.nodeId', 'settings.nodeId'],
    ['settings.tls', 'settings.tls'],
    ['settings.tls.serverName', 'settings.tls.serverName'],
    ['settings.credentials', 'settings.credentials'],
  ])('an error about %s appears at %s', (field, place) => {
    const { errorAt, elsewhere } = placeError('no', field, ads);
    expect(errorAt(place)).toBe('no');
    expect(elsewhere).toBe('');
  });

  it('omits the name of the field at the field', () => {
    const error = 'settings.listeners.1: expected a name';
    expect(placeError(error, 'settings.listeners.1', ads).errorAt('settings.listeners')).toBe(
      'expected a name',
    );
    const other = 'settings.resources: no';
    expect(placeError(other, 'settings.resources', ads).elsewhere).toBe(other);
  });

  it('shows a conflict at the address or the bootstrap', () => {
    expect(placeError('exists', undefined, ads).errorAt('target')).toBe('exists');
    const bootstrap = { kind: 'ads', from: 'bootstrap', target: '' } as const;
    expect(placeError('exists', undefined, bootstrap).errorAt('bootstrap')).toBe('exists');
    const beside = { ...bootstrap, target: 'a:1' };
    expect(placeError('exists', undefined, beside).errorAt('target')).toBe('exists');
    expect(placeError('no', 'settings.tls', beside).errorAt('settings.tls')).toBe('no');
    expect(placeError('no', 'settings.tls', bootstrap).elsewhere).toBe('no');
  });

  it('shows errors about fields that are not in the form below it', () => {
    expect(placeError('no', 'settings.resources', ads).elsewhere).toBe('no');
    const csds = { kind: 'csds', from: 'address', target: '' } as const;
    expect(placeError('no', 'settings.listeners', csds).elsewhere).toBe('no');
    expect(placeError(undefined, undefined, ads).elsewhere).toBe('');
  });
});

describe('summariseSource', () => {
  it('lists only settings that differ from the defaults', () => {
    expect(summariseSource(source())).toEqual(['CSDS poll']);
    expect(summariseSource(source({ security: 'mtls' }))).toEqual(['CSDS poll', 'mTLS']);
    expect(summariseSource(source({ kind: 'ads', settings }))).toEqual(['ADS probe', 'observes']);
    const unusual: ProbeSettingsShown = {
      ...settings,
      transport: 'delta-ads',
      apiVersion: 'v2',
      mode: 'validate',
      profile: 'go',
      errorModel: 'a88',
    };
    expect(summariseSource(source({ kind: 'ads', security: 'tls', settings: unusual }))).toEqual([
      'probe, Delta ADS',
      'API v2',
      'as a Go client',
      'gRFC A88',
      'TLS',
    ]);
    const perType: ProbeSettingsShown = { ...settings, transport: 'sotw' };
    expect(summariseSource(source({ kind: 'ads', settings: perType }))[0]).toBe(
      'probe, a stream for each type',
    );
  });
});

describe('summariseServers', () => {
  it('lists servers in order, authorities and subscriptions', () => {
    const server = (target: string) => ({ target, security: 'plain', sendsToken: false }) as const;
    expect(summariseServers(source({ kind: 'ads', settings }))).toEqual([]);
    const several: ProbeSettingsShown = {
      ...settings,
      servers: [server('a:1'), server('b:2')],
      authorities: [{ name: 'mesh', servers: ['c:3'] }],
      listeners: ['shop', 'cart'],
    };
    expect(summariseServers(source({ kind: 'ads', settings: several }))).toEqual([
      'servers: a:1, then b:2',
      'authority "mesh": c:3',
      'subscribes to shop, cart',
    ]);
  });

  it('lists subscriptions of other types, and the number of further names', () => {
    const names = Array.from({ length: 12 }, (_, index) => `c${index}`);
    const roots: ProbeSettingsShown = { ...settings, resources: { [CDS.typeUrl]: names } };
    expect(summariseServers(source({ kind: 'ads', settings: roots }))).toEqual([
      'subscribes to CDS c0, c1, c2, c3, c4, c5, c6, c7, c8, c9 and 2 more',
    ]);
  });
});
