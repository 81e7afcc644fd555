'use client';

import dynamic from 'next/dynamic';
import { type ReactNode, useState } from 'react';
import { Button } from '../../_components/button';
import { FileButton } from '../../_components/file-button';
import { useImportQueue } from '../../_components/imports/import-queue';
import { StartLabButton } from '../../_components/start-lab-button';

/** Its code is loaded when it is opened. */
const AddSourceDialog = dynamic(() =>
  import('../sources/add-source-dialog').then(({ AddSourceDialog }) => AddSourceDialog),
);

/** What a server without sources and clients can show: three ways to get data. */
export function FirstSteps() {
  const { give } = useImportQueue();
  const [isAdding, setAdding] = useState(false);
  return (
    <section aria-label="First steps" className="grid gap-3 md:grid-cols-3">
      <Way
        title="Drop a config dump"
        text="Drop files on any page, or choose them: Envoy config dumps, CSDS responses, xDS resources, gRPC bootstraps or xdscope recordings. Nothing leaves this server."
      >
        <FileButton icon="plus" isMultiple onChoose={give}>
          Choose files
        </FileButton>
      </Way>
      <Way
        title="Add a source"
        text="Connect to the CSDS of a gRPC client, to the admin interface of an Envoy, to istiod, or as a probe to an ADS server."
      >
        <Button icon="plus" onPress={() => setAdding(true)}>
          Add a source
        </Button>
      </Way>
      <Way
        title="Start the lab"
        text="A mesh on this machine: a management server, backends in several localities, and real gRPC clients, with faults to inject."
      >
        <StartLabButton />
      </Way>
      {isAdding && <AddSourceDialog isOpen onClose={() => setAdding(false)} />}
    </section>
  );
}

interface WayProps {
  readonly title: string;
  readonly text: string;
  readonly children: ReactNode;
}

function Way({ title, text, children }: WayProps) {
  return (
    <div className="flex flex-col items-start gap-2 p-4 card">
      <h2 className="text-[1.0714rem] font-semibold">{title}</h2>
      <p className="flex-1 text-muted">{text}</p>
      {children}
    </div>
  );
}
