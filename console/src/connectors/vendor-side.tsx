import { Anchor, Group, Stack, Text, Title } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { PageLink, useTenantId } from "../navigation.tsx";
import type { Search } from "../page.ts";
import { pageById } from "../pages.ts";
import { confirm } from "../parts/confirm.tsx";
import { CodeBlock } from "../parts/copy.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { ScopedButton } from "../parts/scoped.tsx";
import { toast } from "../parts/toast.tsx";
import { useFormat } from "../words/format.ts";
import { useWords } from "../words/language.ts";
import { type Connector, connectorsOf, type JourneyStep, rotateAddress } from "./connector.ts";
import classes from "./connectors.module.css";
import { SimulatorLink } from "./simulator-link.tsx";
import { words } from "./words.ts";

/** What has to be entered at the vendor, ready to be copied. */
export function VendorSide({ connector }: { connector: Connector }) {
  const w = useWords(words);
  const { webhookUrl, journeySteps, configured } = connector;
  if (webhookUrl === null && journeySteps.length === 0) {
    return configured ? (
      <EmptyState title={w.nothingForVendor} text={w.nothingForVendorText} />
    ) : (
      <EmptyState title={w.address} text={w.setUpFirst} action={<SimulatorLink />} />
    );
  }
  return (
    <Stack gap="lg">
      {webhookUrl !== null && <Address connector={connector} url={webhookUrl} />}
      {journeySteps.length > 0 && <Steps steps={journeySteps} />}
      <SimulatorLink />
    </Stack>
  );
}

function Address({ connector: { name }, url }: { connector: Connector; url: string }) {
  const w = useWords(words);
  const format = useFormat();
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const rotate = () =>
    confirm({
      title: w.rotateTitle,
      text: w.rotateText,
      verb: w.rotate,
      act: async () => {
        const { formerUntil } = await rotateAddress(tenantId, name);
        await queries.invalidateQueries({ queryKey: connectorsOf(tenantId) });
        toast({ message: w.rotated(format.moment(formerUntil)) });
      },
    });
  return (
    <section className={classes.panel} aria-label={w.address}>
      <Stack>
        <div>
          <Title order={2}>{w.address}</Title>
          <Text size="sm" c="dimmed" mt={4}>
            {w.addressText}
          </Text>
        </div>
        <CodeBlock code={url} label={w.address} />
        <Group>
          <ScopedButton
            operation="extension.rotate"
            variant="default"
            leftSection={<IconRefresh size={16} stroke={1.6} />}
            onClick={rotate}
          >
            {w.rotate}
          </ScopedButton>
        </Group>
      </Stack>
    </section>
  );
}

function Steps({ steps }: { steps: readonly JourneyStep[] }) {
  const w = useWords(words);
  const keys = pageById("api-keys");
  const titles = { createPass: w.stepCreate, updatePass: w.stepUpdate, notifyPass: w.stepNotify };
  return (
    <section className={classes.panel} aria-label={w.steps}>
      <Stack gap="lg">
        <div>
          <Title order={2}>{w.steps}</Title>
          <Text size="sm" c="dimmed" mt={4}>
            {w.stepsText}
          </Text>
          {keys !== undefined && (
            <Anchor component="span" size="sm">
              <PageLink
                page={keys}
                search={{ new: "yes" } as Search}
                className={classes.inlineLink}
              >
                {w.makeKey}
              </PageLink>
            </Anchor>
          )}
        </div>
        {steps.map(({ action, url, body }) => (
          <Stack key={action} gap="xs">
            <Title order={3}>{titles[action]}</Title>
            <CodeBlock code={url} label={`${titles[action]}: ${w.stepAddress}`} />
            {body === null ? (
              <Text size="sm" c="dimmed">
                {w.stepNoBody}
              </Text>
            ) : (
              <CodeBlock code={body} label={`${titles[action]}: ${w.stepBody}`} />
            )}
          </Stack>
        ))}
      </Stack>
    </section>
  );
}
