import { describe, expect, it } from 'vitest';
import {
  defaultAuthorityTemplate,
  findListenerOfTarget,
  noTemplates,
  serverListenerName,
} from '@/lib/xds/listener-name';

const templates = {
  clientDefault: 'xdstp://top.example/envoy.config.listener.v3.Listener/client/%s?x=%s',
  authorities: new Map([
    ['a', { clientListenerResourceNameTemplate: defaultAuthorityTemplate('a') }],
    ['b', { clientListenerResourceNameTemplate: 'xdstp://b/envoy.config.listener.v3.Listener/fixed' }],
  ]),
};

describe('findListenerOfTarget', () => {
  it.each([
    ['foo', 'foo'],
    ['foo.example:8080', 'foo.example:8080'],
    ['xds:///foo', 'foo'],
    ['XDS:///foo', 'foo'],
    ['xds:/foo', 'foo'],
    ['xds:foo', 'foo'],
    ['xds:///foo:80', 'foo:80'],
    ['xds:///a/b', 'a/b'],
    ['xds:///a%20b', 'a b'],
    ["xds:///$&$'", "$&$'"],
  ])('%s subscribes to %s without a template', (target, listener) => {
    expect(findListenerOfTarget(target, noTemplates)).toEqual({
      ok: true,
      listener,
      dataPlaneAuthority: listener,
    });
  });

  it.each([
    [
      'xds:///foo bar%25/é',
      'xdstp://top.example/envoy.config.listener.v3.Listener/client/foo%20bar%25/%C3%A9?x=foo%20bar%25/%C3%A9',
      'foo bar%/é',
    ],
    ['xds://a/foo:80', 'xdstp://a/envoy.config.listener.v3.Listener/foo:80', 'foo:80'],
    ['xds://b/foo', 'xdstp://b/envoy.config.listener.v3.Listener/fixed', 'foo'],
  ])(
    '%s subscribes to %s with templates, and its hosts are matched with %s',
    (target, listener, authority) => {
      expect(findListenerOfTarget(target, templates)).toEqual({
        ok: true,
        listener,
        dataPlaneAuthority: authority,
      });
    },
  );

  it.each([
    ['xds://c/foo', 'expected an authority that the bootstrap has ("a", "b"), got "c" in "xds://c/foo"'],
    ['', 'expected xds:///NAME, xds://AUTHORITY/NAME or NAME, got ""'],
    ['xds:///', 'expected xds:///NAME, xds://AUTHORITY/NAME or NAME, got "xds:///"'],
    ['xds://a', 'expected xds:///NAME, xds://AUTHORITY/NAME or NAME, got "xds://a"'],
    ['dns:///foo', 'expected xds:///NAME, xds://AUTHORITY/NAME or NAME, got "dns:///foo"'],
    ['xds:///%zz', 'expected two hexadecimal digits after each "%", which make UTF-8, got "xds:///%zz"'],
  ])('rejects %j', (target, message) => {
    expect(findListenerOfTarget(target, templates)).toEqual({ ok: false, message });
  });

  it('reports that the bootstrap has no authorities', () => {
    expect(findListenerOfTarget('xds://c/foo', noTemplates)).toMatchObject({
      message: 'expected an authority that the bootstrap has (it has none), got "c" in "xds://c/foo"',
    });
  });
});

describe('serverListenerName', () => {
  it('inserts the listening address into the template', () => {
    const plain = 'grpc/server?xds.resource.listening_address=%s';
    expect(serverListenerName(plain, '[::1]:80')).toBe('grpc/server?xds.resource.listening_address=[::1]:80');
    const federated = 'xdstp://a/envoy.config.listener.v3.Listener/server/%s';
    expect(serverListenerName(federated, '[::1]:80')).toBe(
      'xdstp://a/envoy.config.listener.v3.Listener/server/%5B::1%5D:80',
    );
  });
});
