'use client';

import { useRouter } from 'next/navigation';
import { useState, useTransition } from 'react';
import { Button, Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import type { DeleteProps } from './delete-button.tsx';

interface Props extends DeleteProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

export default function DeleteDialog({ id, remove, leaveTo, texts, open, onOpenChange }: Props) {
  const router = useRouter();
  const [error, setError] = useState<string | null>(null);
  const [pending, startTransition] = useTransition();
  const confirm = () =>
    startTransition(async () => {
      const result = await remove(id, leaveTo === null);
      if (!result.ok) {
        setError(result.error);
        return;
      }
      onOpenChange(false);
      if (leaveTo !== null) router.push(leaveTo);
    });
  return (
    <ModalOverlay
      isOpen={open}
      onOpenChange={onOpenChange}
      isDismissable
      className="fixed inset-0 z-20 grid place-items-center bg-black/45 p-4"
    >
      <Modal className="card w-full max-w-md p-5 shadow-xl">
        <Dialog role="alertdialog" className="outline-none">
          <Heading slot="title" className="text-lg font-[620] tracking-tight">
            {texts.title}
          </Heading>
          <p className="mt-2 text-soft">{texts.body}</p>
          {error && (
            <p role="alert" className="mt-3 text-sm text-crash">
              {error}
            </p>
          )}
          <div className="mt-5 flex justify-end gap-2">
            <Button autoFocus className="button" onPress={() => onOpenChange(false)}>
              {texts.cancel}
            </Button>
            <Button className="button button-danger" isPending={pending} onPress={confirm}>
              {texts.confirm}
            </Button>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
