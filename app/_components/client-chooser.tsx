'use client';

import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { clientDetailOptions } from '@/app/_ask/client-question';
import { useFoundClients } from '@/app/_ask/use-found-clients';
import { formatName } from '@/lib/format/names/format-name';
import type { ClientSummary } from '@/lib/views/client/schema';
import { type Choice, ChoiceBox } from './choice-box';

interface ClientChooserProps {
  readonly label: string;
  /** The visible label in front of the field. */
  readonly word: string;
  /** Empty: no client, or all clients. */
  readonly clientId: string;
  /** Text of the choice of no client; without it a client must be chosen. */
  readonly allText?: string;
  readonly onChange: (clientId: string) => void;
  readonly className?: string;
}

/** One more than is shown, to know whether there are more. */
const mostFound = 51;

/** Chooses one client; the server finds clients that are not in the first ones. */
export function ClientChooser({ label, word, clientId, allText, onChange, className }: ClientChooserProps) {
  const [typed, setTyped] = useState('');
  const { data: clients = [] } = useFoundClients(quoted(typed), mostFound);
  const { data: chosen } = useQuery({
    ...clientDetailOptions({ clientId }),
    enabled: clientId !== '',
    retry: false,
  });
  const choices = useMemo(
    () => [...(allText === undefined ? [] : [{ id: '', text: allText }]), ...clients.map(clientChoice)],
    [clients, allText],
  );
  // The list has the name before the details of the client are loaded.
  const named = chosen?.id === clientId ? chosen : clients.find(({ id }) => id === clientId);
  const name = named === undefined ? clientId : clientText(named);
  return (
    <ChoiceBox
      label={label}
      word={word}
      current={clientId === '' ? (allText ?? '') : name}
      title={named?.nodeId}
      choices={choices}
      onSearch={setTyped}
      placeholder="part of the name"
      onChoose={onChange}
      onType={(text) => `no client is named ${JSON.stringify(text.trim())}; choose one of the list`}
      {...(className !== undefined && { className })}
    />
  );
}

export function quoted(typed: string): string {
  return typed.trim() === '' ? '' : `"${typed.trim().replaceAll('"', '')}"`;
}

export function clientChoice(client: ClientSummary): Choice {
  const { id, isProbe, freshness } = client;
  const hints = [isProbe ? 'probe' : '', freshness === 'live' ? '' : freshness].filter((hint) => hint !== '');
  return {
    id,
    text: clientText(client),
    whole: client.nodeId,
    ...(hints.length > 0 && { hint: hints.join(', ') }),
  };
}

/** "web-0.shop · xds:///cart": the node ID as it is shown, and the scope. */
export function clientText({ nodeId, scope }: Pick<ClientSummary, 'nodeId' | 'scope'>): string {
  const name = nodeId === '' ? '(empty node ID)' : formatName(nodeId);
  return scope === '' ? name : `${name} · ${scope}`;
}
