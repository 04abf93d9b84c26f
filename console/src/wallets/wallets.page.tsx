import { Button, Group, SimpleGrid, Skeleton, Text, Tooltip } from "@mantine/core";
import {
  IconCertificate,
  IconDownload,
  IconPlugConnected,
  IconRefresh,
  IconUpload,
} from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { usePageSearch, useTenantId } from "../navigation.tsx";
import { CurlIcon } from "../parts/copy.tsx";
import { ErrorDisplay } from "../parts/error-display.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { ScopedButton } from "../parts/scoped.tsx";
import { toast } from "../parts/toast.tsx";
import { words as partWords } from "../parts/words.ts";
import { useWords } from "../words/language.ts";
import { RequestDialog } from "./apple-request.tsx";
import { UploadDialog } from "./apple-upload.tsx";
import { downloadText } from "./file-io.ts";
import { AccountDialog } from "./google-account.tsx";
import { page } from "./page.ts";
import {
  type AppleHealth,
  appleStatus,
  checkAccount,
  type GoogleHealth,
  getHealth,
  googleStatus,
  rotateCertificate,
  WALLET_EVENTS,
  walletsOf,
} from "./wallet.ts";
import { CertificateFacts, CheckSteps, Problems, WalletCard } from "./wallet-parts.tsx";
import classes from "./wallets.module.css";
import { words } from "./words.ts";

export function Page() {
  const w = useWords(words);
  const parts = useWords(partWords);
  const tenantId = useTenantId();
  const [{ dialog }, setSearch] = usePageSearch(page);
  const { data, error, refetch } = useQuery({
    queryKey: walletsOf(tenantId),
    queryFn: () => getHealth(tenantId),
    meta: { live: WALLET_EVENTS },
  });
  const close = () => setSearch({ dialog: undefined });
  return (
    <>
      <PageHead
        page={page}
        lead={w.lead}
        actions={<CurlIcon method="GET" path={`/api/${tenantId}/admin/wallets`} />}
      />
      {error !== null && <ErrorDisplay error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && (
        <Skeleton h={320} radius="lg" role="status" aria-label={parts.loading} />
      )}
      {data !== undefined && (
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
          <Apple health={data.apple} />
          <Google health={data.google} />
        </SimpleGrid>
      )}
      {dialog === "certificate" && <UploadDialog onClose={close} />}
      {dialog === "request" && <RequestDialog onClose={close} />}
      {dialog === "account" && data !== undefined && (
        <AccountDialog health={data.google} onClose={close} />
      )}
    </>
  );
}

function Apple({ health }: { health: AppleHealth }) {
  const w = useWords(words);
  const [, setSearch] = usePageSearch(page);
  const status = appleStatus(health);
  const text = {
    ready: w.appleReady,
    attention: w.appleAttention,
    soon: w.appleSoon,
    testing: w.appleTesting,
    broken: w.appleBroken,
  }[status];
  const { current, next, openRequests, problems, developmentRootPem: root } = health;
  return (
    <WalletCard title="Apple Wallet" status={status} text={text}>
      <Problems problems={problems} />
      {openRequests > 0 && <Text size="sm">{w.openRequests(openRequests)}</Text>}
      {current !== null && <CertificateFacts title={w.inUse} certificate={current} />}
      {next !== null && (
        <CertificateFacts title={w.waiting} certificate={next}>
          <Text size="sm" c="dimmed">
            {w.waitingText}
          </Text>
          <Rotate />
        </CertificateFacts>
      )}
      <Group gap="xs">
        <ScopedButton
          operation="apple-certificate.put"
          leftSection={<IconUpload size={18} />}
          onClick={() => setSearch({ dialog: "certificate" }, { isStep: true })}
        >
          {w.upload}
        </ScopedButton>
        <ScopedButton
          operation="apple-certificate.request"
          variant="default"
          leftSection={<IconCertificate size={18} stroke={1.6} />}
          onClick={() => setSearch({ dialog: "request" }, { isStep: true })}
        >
          {w.request}
        </ScopedButton>
        {root !== null && (
          <Tooltip label={w.rootHint} multiline maw={280}>
            <Button
              variant="subtle"
              leftSection={<IconDownload size={18} stroke={1.6} />}
              onClick={() => downloadText("test-root.pem", root, "application/x-pem-file")}
            >
              {w.root}
            </Button>
          </Tooltip>
        )}
      </Group>
    </WalletCard>
  );
}

/** The same call switches back, so it is done at once, with the way back in the toast. */
function Rotate() {
  const w = useWords(words);
  const tenantId = useTenantId();
  const queries = useQueryClient();
  const rotate = async () => {
    await rotateCertificate(tenantId);
    await queries.invalidateQueries({ queryKey: walletsOf(tenantId) });
  };
  const rotation = useMutation({
    mutationFn: rotate,
    onSuccess: () => toast({ message: w.rotated, undo: rotate }),
  });
  return (
    <>
      <ErrorDisplay error={rotation.error} />
      <Group>
        <ScopedButton
          operation="apple-certificate.rotate"
          variant="light"
          leftSection={<IconRefresh size={18} stroke={1.6} />}
          loading={rotation.isPending}
          onClick={() => rotation.mutate()}
        >
          {w.rotate}
        </ScopedButton>
      </Group>
    </>
  );
}

function Google({ health }: { health: GoogleHealth }) {
  const w = useWords(words);
  const tenantId = useTenantId();
  const [, setSearch] = usePageSearch(page);
  const check = useMutation({ mutationFn: () => checkAccount(tenantId) });
  const status = googleStatus(health);
  const text = {
    ready: w.googleReady,
    attention: w.googleAttention,
    soon: w.googleSoon,
    testing: w.googleTesting,
    broken: w.googleBroken,
  }[status];
  const { account, issuerId, problems } = health;
  return (
    <WalletCard title="Google Wallet" status={status} text={text}>
      <Problems problems={problems} />
      {(account !== null || issuerId !== null) && (
        <dl className={classes.facts}>
          <dt>{w.account}</dt>
          <dd>{account?.clientEmail ?? w.none}</dd>
          <dt>{w.project}</dt>
          <dd>{account?.projectId ?? w.none}</dd>
          <dt>{w.keyId}</dt>
          <dd className={classes.mono}>{account?.keyId ?? w.none}</dd>
          <dt>{w.issuerId}</dt>
          <dd>{issuerId ?? w.none}</dd>
        </dl>
      )}
      <ErrorDisplay error={check.error} />
      {check.data !== undefined && <CheckSteps check={check.data} />}
      <Group gap="xs">
        <ScopedButton
          operation="google-account.put"
          leftSection={<IconUpload size={18} />}
          onClick={() => setSearch({ dialog: "account" }, { isStep: true })}
        >
          {account !== null && issuerId === null ? w.setIssuer : w.uploadAccount}
        </ScopedButton>
        <ScopedButton
          operation="google-account.check"
          variant="default"
          leftSection={<IconPlugConnected size={18} stroke={1.6} />}
          loading={check.isPending}
          onClick={() => check.mutate()}
        >
          {w.check}
        </ScopedButton>
      </Group>
    </WalletCard>
  );
}
