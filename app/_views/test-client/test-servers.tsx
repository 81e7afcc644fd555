'use client';

import { useClientViewData } from '@/app/_ask/client-view-data';
import { useCommand } from '@/app/_ask/use-command';
import { Button } from '@/app/_components/button';
import { ErrorLine } from '@/app/_components/error-line';
import { NameText } from '@/app/_components/name-text';
import { ScrollFrame } from '@/app/_components/scroll-frame';
import { StaleBanner } from '@/app/_components/stale-banner';
import { TimeAgo } from '@/app/_components/time-ago';
import type { TestClientPage } from '@/lib/views/test-client/schema';

interface TestServersProps {
  readonly servers: TestClientPage['servers'];
  readonly isLive: boolean;
}

/** The servers of the interop tests that the client calls, which can be set to SERVING and NOT_SERVING. */
export function TestServers({ servers, isLive }: TestServersProps) {
  const { client } = useClientViewData();
  const send = useCommand('PUT clients/{id}/test-client/server');
  if (servers.length === 0)
    return (
      <p className="note">
        Count the next RPCs: servers of the interop tests answer with their names, and endpoints of their
        clusters are listed here.
      </p>
    );
  return (
    <>
      {isLive && (
        <div className="max-w-3xl pb-2">
          <StaleBanner>
            This changes a running program: the server reports SERVING or NOT_SERVING to everybody who checks
            its health. It still answers RPCs; the control plane decides what follows.
          </StaleBanner>
        </div>
      )}
      <ErrorLine error={send.error} />
      <ScrollFrame label="Servers, scrolled">
        <table aria-label="Servers of the interop tests">
          <thead className="note text-left">
            <tr>
              <th scope="col" className="font-normal">
                Endpoint
              </th>
              <th scope="col" className="pl-6 font-normal max-sm:hidden">
                Cluster
              </th>
              <th scope="col" className="pl-6 font-normal">
                Health in the config
              </th>
              <th scope="col" className="pl-6 font-normal max-sm:hidden">
                Set by xdscope
              </th>
              <th scope="col" className="pl-6">
                <span className="sr-only">Set the server</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {servers.map(({ cluster, address, hostname, health, set }) => (
              <tr key={`${cluster} ${address}`}>
                <th scope="row" className="py-0.5 text-left font-mono font-normal break-all">
                  {address}
                  {hostname !== '' && <span className="note"> {hostname}</span>}
                </th>
                <td className="pl-6 max-sm:hidden">
                  <NameText name={cluster} />
                </td>
                <td className="pl-6 font-mono">{health}</td>
                <td className="pl-6 whitespace-nowrap max-sm:hidden">
                  {set === undefined ? (
                    <span className="note">Not set</span>
                  ) : (
                    <>
                      {set.isServing ? 'SERVING' : 'NOT_SERVING'} <TimeAgo at={set.at} />
                    </>
                  )}
                </td>
                <td className="pl-6 whitespace-nowrap max-sm:[&>*]:flex">
                  {isLive &&
                    [true, false].map((isServing) => (
                      <Button
                        key={String(isServing)}
                        isPending={send.isPending}
                        label={`Set to ${isServing ? 'SERVING' : 'NOT_SERVING'}: ${address}`}
                        onPress={() => send.mutate({ id: client.id, address, isServing })}
                      >
                        {isServing ? 'Set to SERVING' : 'Set to NOT_SERVING'}
                      </Button>
                    ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollFrame>
    </>
  );
}
