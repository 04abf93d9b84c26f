import { Alert, Button, Checkbox, Group, Select, Stack, Stepper, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useState } from "react";
import { useTenantId } from "../navigation.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { FormDialog } from "../parts/form/form-dialog.tsx";
import { ValueBox } from "../parts/value-box.tsx";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import { TestPanel } from "./deliveries/test-panel.tsx";
import { nameOf, type Rotated, rotateSecret, type Webhook } from "./webhook.ts";
import { words } from "./words.ts";

const OVERLAP_USUAL = "24";

type Props = { readonly webhook: Webhook; readonly onClose: () => void };

/** Make, deploy, check: with both secrets signing in between. */
export function RotateDialog({ webhook, onClose }: Props) {
  const w = useWords(words);
  const isNarrow = useMediaQuery("(max-width: 36em)");
  const [made, setMade] = useState<Rotated>();
  const [isDeployed, setDeployed] = useState(false);
  const step = made === undefined ? 0 : isDeployed ? 2 : 1;
  return (
    <FormDialog
      operation="webhook.rotate-secret"
      opened
      onClose={onClose}
      isDirty={step === 1}
      title={w.rotateTitle(nameOf(webhook))}
      size="lg"
    >
      <Stepper
        active={step}
        size="sm"
        mb="lg"
        orientation={isNarrow === true ? "vertical" : "horizontal"}
        allowNextStepsSelect={false}
      >
        <Stepper.Step label={w.stepMake} description={w.stepMakeText} allowStepSelect={false} />
        <Stepper.Step label={w.stepDeploy} description={w.stepDeployText} allowStepSelect={false} />
        <Stepper.Step label={w.stepCheck} description={w.stepCheckText} allowStepSelect={false} />
      </Stepper>
      {made === undefined && <MakeStep id={webhook.id} onMade={setMade} />}
      {made !== undefined && step === 1 && (
        <DeployStep made={made} onDone={() => setDeployed(true)} />
      )}
      {step === 2 && (
        <Stack>
          <Text>{w.checkText}</Text>
          <TestPanel id={webhook.id} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {w.done}
            </Button>
          </Group>
        </Stack>
      )}
    </FormDialog>
  );
}

function MakeStep({ id, onMade }: { id: string; onMade: (made: Rotated) => void }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [hours, setHours] = useState(OVERLAP_USUAL);
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<unknown>();
  const data = [
    { value: "1", label: w.hours1 },
    { value: "24", label: w.hours24 },
    { value: "72", label: w.hours72 },
    { value: "168", label: w.hours168 },
    { value: "0", label: w.hours0 },
  ];
  const make = async () => {
    setSending(true);
    try {
      onMade(await rotateSecret(tenantId, id, Number(hours)));
    } catch (failure) {
      setError(failure);
      setSending(false);
    }
  };
  return (
    <Stack>
      <Text>{w.rotateLead}</Text>
      <Select
        label={w.overlap}
        data={data}
        value={hours}
        onChange={(value) => setHours(value ?? OVERLAP_USUAL)}
        allowDeselect={false}
        data-autofocus
      />
      {hours === "0" && <Alert color="yellow">{w.overlapNone}</Alert>}
      <ErrorDisplay error={error} />
      <Group justify="flex-end">
        <Button
          loading={isSending}
          color={hours === "0" ? "red" : undefined}
          onClick={() => void make()}
        >
          {w.makeSecret}
        </Button>
      </Group>
    </Stack>
  );
}

function DeployStep({ made, onDone }: { made: Rotated; onDone: () => void }) {
  const w = useWords(words);
  const format = useFormat();
  const [isSaved, setSaved] = useState(false);
  const { signatureSecret, formerValidUntil } = made;
  return (
    <Stack>
      <Text>{w.showOnce}</Text>
      <ValueBox value={signatureSecret} label={w.newSecret} takesFocus={false} />
      <Alert variant="light" color="gray">
        <Text size="sm">
          {formerValidUntil === null ? w.newOnly : w.bothUntil(format.moment(formerValidUntil))}
        </Text>
        <Text size="sm" mt={4}>
          {w.shortSignature}
        </Text>
      </Alert>
      <Group justify="space-between">
        <Checkbox
          label={w.saved}
          checked={isSaved}
          onChange={(event) => setSaved(event.currentTarget.checked)}
        />
        <Button disabled={!isSaved} onClick={onDone}>
          {w.inPlace}
        </Button>
      </Group>
    </Stack>
  );
}
