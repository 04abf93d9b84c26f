/**
 * Words that people often choose as passwords in other languages than English, such as those for
 * password, welcome, love or summer. The list of common passwords has hardly any of them.
 */
const WORDS = `
passwort kennwort geheim geheimnis willkommen hallo hallowelt ichliebedich liebe schatz sonnenschein
sommer herbst fruehling frühling verwaltung verwalter benutzer deutschland fussball fußball
motdepasse azerty bonjour bienvenue bienvenu jetaime amour soleil printemps été automne hiver
administrateur utilisateur doudou chouchou loulou marseille coucou
contraseña contrasenia clave bienvenido bienvenidos hola holamundo teamo tequiero amor miamor cariño
verano invierno otoño primavera administrador usuario estrella secreto españa barcelona
parola parolachiave benvenuto benvenuti ciao ciaociao tiamo amore amoremio estate inverno autunno
amministratore utente segreto forzaitalia juventus
senha minhasenha bemvindo bemvinda olá euteamo meuamor saudade verão outono segredo usuário brasil
flamengo corinthians
wachtwoord welkom hallohallo ikhouvanjou liefde zomer lente herfst beheerder gebruiker geheimpje
lösenord välkommen hejhej jagälskardig kärlek sommar höst vår administratör hemligt
adgangskode velkommen kærlighed hemmelig passord velkommen kjærlighet sommeren
salasana tervetuloa rakkaus kesä talvi perkele
hasło hasełko witaj witam dzieńdobry kochamcię kocham miłość lato zima jesień wiosna polska kasia
heslo vítejte ahoj ahojky milujitě láska léto podzim správce
jelszó üdvözlöm szeretlek szerelem nyár ősz tavasz rendszergazda
parolă parolamea bunvenit iubire teiubesc vara toamna
şifre şifrem parolam hoşgeldin hoşgeldiniz merhaba seniseviyorum aşkım sevgilim aşk yaz kış sonbahar
ilkbahar yönetici kullanıcı galatasaray fenerbahçe beşiktaş türkiye istanbul
пароль мойпароль привет приветик добропожаловать люблю ятебялюблю любовь солнышко солнце лето зима
осень весна админ администратор пользователь секрет россия спартак наташа марина
parol privet lubov lyublyu zaraza solnce natasha gfhjkm ghbdtn
гасло ласкавопросимо кохання україна літо
парола любов здравей
κωδικός κωδικοσ καλωσήρθες αγάπη σαγαπώ ελλάδα
katasandi rahasia sayang selamatdatang cinta matkhau anhyeuem xinchao
mima woaini wodemima nihao aishiteru himitsu konnichiwa sakura sarang saranghae bimilbeonho
密码 我爱你 パスワード 愛してる 비밀번호 사랑해
`;

/** The words as written above; callers must apply `foldText` before they compare. */
export const COMMON_WORDS: readonly string[] = WORDS.trim().split(/\s+/);
