import { describe, expect, it } from 'vitest';
import { formatSocketAddress, readSubchannelTarget } from '@/server/collect/channelz/read-address';

const java =
  '[[[/127.0.0.1:45947]/{io.grpc.EquivalentAddressGroup.BACKEND_SERVICE=cl, io.grpc.xds.XdsAttributes.locality=Locality{region=r, zone=a, subZone=}, io.grpc.xds.XdsAttributes.clusterName=cl, io.grpc.xds.XdsAttributes.localityWeight=3}]]';

describe('the address of a subchannel', () => {
  it.each([
    ['127.0.0.1:7310', '127.0.0.1:7310'],
    ['ipv4:127.0.0.1:7310', '127.0.0.1:7310'],
    ['ipv6:%5B::1%5D:7310', '[::1]:7310'],
    ['ipv6:[0:0:0:0:0:0:0:1]:7310', '[::1]:7310'],
    ['unix:/run/shop.sock', 'unix:/run/shop.sock'],
    ['[[[localhost/127.0.0.1:7301]/{}]]', '127.0.0.1:7301'],
    ['[[[/[0:0:0:0:0:0:0:1]:7301]/{}]]', '[::1]:7301'],
    ['', ''],
  ])('"%s" is %s', (target, address) => {
    expect(readSubchannelTarget(target)).toEqual({ address });
  });

  it('of gRPC-Java has the cluster and the locality beside it', () => {
    expect(readSubchannelTarget(java)).toEqual({
      address: '127.0.0.1:45947',
      cluster: 'cl',
      locality: { region: 'r', zone: 'a', subZone: '' },
    });
  });
});

describe('the address of a socket', () => {
  const v6 = (...tail: number[]) => new Uint8Array([...new Array<number>(16 - tail.length).fill(0), ...tail]);

  it.each([
    [{ tcpipAddress: { ipAddress: new Uint8Array([10, 0, 0, 1]), port: 80 } }, '10.0.0.1:80'],
    [{ tcpipAddress: { ipAddress: v6(1), port: 80 } }, '[::1]:80'],
    [{ tcpipAddress: { ipAddress: v6(255, 255, 10, 0, 0, 1), port: 80 } }, '10.0.0.1:80'],
    [{ udsAddress: { filename: '/run/x.sock' } }, 'unix:/run/x.sock'],
    [{ otherAddress: { name: 'pipe' } }, 'pipe'],
    [{ tcpipAddress: { ipAddress: new Uint8Array([1]), port: 80 } }, undefined],
    [undefined, undefined],
  ])('%j is %s', (address, text) => {
    expect(formatSocketAddress(address)).toBe(text);
  });
});
